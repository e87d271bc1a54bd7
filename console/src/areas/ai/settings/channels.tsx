import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { channelsQuery } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { Chip, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { shownCode } from '../words';

/** Where the AI answers. */
export const Channels = ({ mayWrite }: { mayWrite: boolean }) => {
  const client = useQueryClient();
  const channels = useQuery(channelsQuery);
  const change = useMutation({
    mutationFn: (body: Schemas['UpdateAutopilot']) => dataOf(api.PATCH('/autopilot', { body })),
    onSuccess: (items) => client.setQueryData(channelsQuery.queryKey, items),
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <Section title="On these channels">
      {channels.isPending && <Skeleton rows={4} />}
      {failureOf(channels)}
      <ul className="px-4 py-2">
        {channels.data?.map(({ channel, autopilot_enabled, warnings }) => (
          <li key={channel} className="py-1">
            {mayWrite ? (
              <label className="flex min-h-7 items-center gap-2">
                <input
                  type="checkbox"
                  checked={autopilot_enabled}
                  disabled={change.isPending}
                  onChange={({ target }) => change.mutate({ channel, autopilot_enabled: target.checked })}
                  className="size-4 accent-(--accent)"
                />
                {shownCode(channel)}
              </label>
            ) : (
              <p className="flex items-center gap-2">
                <span className="flex-1">{shownCode(channel)}</span>
                <Chip tone={autopilot_enabled ? 'good' : 'plain'}>{autopilot_enabled ? 'On' : 'Off'}</Chip>
              </p>
            )}
            {warnings.map((warning) => (
              <p key={warning} className="text-xs break-words text-warn-text">
                {warning}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
};
