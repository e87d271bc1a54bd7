import { useInfiniteQuery } from '@tanstack/react-query';
import { scoresQuery } from '../../api/analytics';
import type { Schemas } from '../../api/client';
import { ShortList } from '../../ui/lists/data-list';
import type { Column } from '../../ui/lists/data-row';
import { Empty } from '../../ui/parts';
import { Section } from '../../ui/section';
import { Ago } from '../../ui/times/ago';

type Score = Schemas['CsatScore'];

/** The scores that the report counts, each with its conversation. */
export const Scores = (filters: Parameters<typeof scoresQuery>[0]) => (
  <div id="list">
    <Section title="The scores">
      <ShortList
        label="Scores"
        query={useInfiniteQuery(scoresQuery(filters))}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ session_id }) => ({ to: '/s/$id', params: { id: session_id } })}
        empty={<Empty title="No score">Nobody gave one in these days.</Empty>}
      />
    </Section>
  </div>
);

const COLUMNS: Column<Score>[] = [
  { name: 'Score', track: '5rem', cell: ({ score }) => <>{score} of 5</> },
  {
    name: 'Comment',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ comment }) => (
      <span className="block break-words">{comment ?? <span className="text-quiet">–</span>}</span>
    ),
  },
  { name: 'When', track: '6rem', isNumber: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];
