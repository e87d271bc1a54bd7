import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../../api/may';
import { orgQuery } from '../../../api/settings';
import { CopyButton } from '../../../ui/copy-button';
import { failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';

/** What a page needs to show the widget. */
export const Snippet = () => {
  const maySee = useMay('org:read');
  const org = useQuery({ ...orgQuery, enabled: maySee });
  if (!maySee) return null;
  const text =
    org.data === undefined
      ? undefined
      : `<script src="${window.location.origin}/widget.js" data-token="${org.data.widget_token}" defer></script>`;
  return (
    <Section title="On your pages">
      <div className="p-4">
        <p className="mb-2 text-quiet">Put this line into each page that shall have the chat, before its end.</p>
        {org.isPending && <Skeleton rows={1} />}
        {failureOf(org)}
        {text !== undefined && (
          <p className="flex items-start gap-2">
            <code className="min-w-0 flex-1 rounded bg-sunken px-2 py-1.5 font-mono text-xs break-all">{text}</code>
            <CopyButton text={text} what="the line" />
          </p>
        )}
      </div>
    </Section>
  );
};
