import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { attentionQuery } from '../../api/overview';
import { linkTo } from '../../app/ref-links';
import { Empty, failureOf, Skeleton } from '../../ui/parts';
import { Section } from '../../ui/section';
import { Ago } from '../../ui/times/ago';

type Item = Schemas['AttentionItem'];

/** The meaning of each kind, and its list. */
const KINDS: Record<Item['kind'], { name: string; list?: LinkProps }> = {
  confirmation_waiting: {
    name: 'Waits for a confirmation',
    list: { to: '/ai/calls', search: { state: 'needs_confirmation' } },
  },
  assistant_call_waiting: { name: 'Waits for a confirmation', list: { to: '/assistants', search: {} } },
  handoff_partial: { name: 'Handoff is not complete' },
  integration_failing: { name: 'Connection fails' },
  domain_broken: { name: 'Sending domain is not verified', list: { to: '/outbound/domains' } },
  webhook_disabled: { name: 'Webhook was switched off' },
  sequence_paused: { name: 'Sequence has paused itself', list: { to: '/outbound', search: { status: 'paused' } } },
  unknown_delivery: {
    name: 'Outcome is unknown',
    list: { to: '/outbound/deliveries', search: { status: 'unknown' } },
  },
  run_failed: { name: 'Runs failed' },
  workflow_constraint_error: { name: 'Constraint cannot be evaluated' },
  workflow_schedule_error: { name: 'Schedule could not be made' },
  held_removals: { name: 'Removals of pages wait for you' },
  article_unhelpful: { name: 'Article does not help its readers', list: { to: '/knowledge/help-center', search: {} } },
  parked_event: { name: 'Event is parked' },
};

/** The page to settle an item. */
function targetOf({ kind, ref }: Item): LinkProps | undefined {
  if (kind === 'run_failed' && ref !== null)
    return { to: '/automations/runs', search: { workflow_id: ref.id, status: 'failed' } };
  return (ref === null ? undefined : linkTo(ref)) ?? KINDS[kind].list;
}

/** What stays as it is until a person acts. */
export const AttentionList = () => {
  const query = useQuery(attentionQuery);
  const items = query.data?.items ?? [];
  return (
    <Section title="What needs a person">
      {failureOf(query)}
      {query.isPending && <Skeleton rows={3} />}
      {query.data !== undefined && items.length === 0 && (
        <Empty title="Nothing is stuck">Failed runs, paused sequences and what waits for a decision appear here.</Empty>
      )}
      <ul aria-label="What needs a person">
        {items.map((item) => (
          <AttentionRow key={`${item.kind} ${item.ref?.id ?? item.title}`} item={item} />
        ))}
      </ul>
    </Section>
  );
};

const AttentionRow = ({ item }: { item: Item }) => {
  const { kind, title, detail, count, since } = item;
  const target = targetOf(item);
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b border-line px-4 py-2.5 last:border-b-0 has-[a:hover]:bg-hover">
      <span className="min-w-0 flex-1 basis-60">
        <span className="block text-xs text-quiet">{KINDS[kind].name}</span>
        {target === undefined ? (
          <span className="block font-medium break-words">{title}</span>
        ) : (
          <Link {...target} className="block font-medium break-words after:absolute after:inset-0">
            {title}
          </Link>
        )}
        {detail !== null && <span className="block break-words text-quiet">{detail}</span>}
      </span>
      {count > 1 && <span className="tabular-nums">{count === 1_000 ? '1,000+' : count.toLocaleString()}</span>}
      <span className="text-quiet">
        since <Ago at={since} />
      </span>
    </li>
  );
};
