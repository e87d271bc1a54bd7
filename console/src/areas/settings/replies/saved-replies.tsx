import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { savedRepliesQuery } from '../../../api/settings';
import { FilterBar } from '../../../ui/lists/filter-bar';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Chip, Empty } from '../../../ui/parts';
import { ListPage } from '../frame/list-page';
import { PreviewDialog } from './preview-dialog';
import { ReplyDialog } from './reply-dialog';

type Reply = Schemas['SavedReply'];

/** Texts to use again in conversations. */
export const SavedReplies = () => {
  const { q } = useSearch({ from: '/settings/saved-replies' });
  const navigate = useNavigate();
  const list = useInfiniteQuery({
    ...savedRepliesQuery(q),
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });
  const [previewed, preview] = useState<Reply>();
  return (
    <ListPage
      title="Saved replies"
      query={list}
      mayWrite={useMay('chat-sessions:write')}
      add="New reply"
      above={
        <FilterBar
          search={{ q }}
          fields={[]}
          searched="Search the replies"
          onChange={(search) => void navigate({ to: '/settings/saved-replies', search })}
        />
      }
      empty={
        <Empty title={q === undefined ? 'No saved reply yet' : 'No reply has these words'}>
          In a conversation, type / and the shortcut of a reply.
        </Empty>
      }
      keyOf={({ id }) => id}
      nameOf={({ title }) => title}
      row={(reply) => <ReplyRow reply={reply} />}
      more={(reply) => (
        <Button aria-label={`Preview ${reply.title}`} onClick={() => preview(reply)}>
          Preview
        </Button>
      )}
      form={(existing, onClose) => <ReplyDialog existing={existing} onClose={onClose} />}
      remove={{
        what: 'the reply',
        says: 'Messages that were written with it stay.',
        run: ({ id }) => dataOf(api.DELETE('/saved-replies/{id}', { params: { path: { id } } })),
        stale: [['listSavedReplies']],
      }}
    >
      <ShowMore query={list} className="justify-self-start" />
      {previewed !== undefined && <PreviewDialog reply={previewed} onClose={() => preview(undefined)} />}
    </ListPage>
  );
};

const ReplyRow = ({ reply: { shortcut, title, text, uses, language, attachments, actions } }: { reply: Reply }) => (
  <>
    <p className="flex flex-wrap items-center gap-x-2">
      <span className="min-w-0 font-medium break-words">{title}</span>
      <code className="font-mono text-xs text-quiet">/{shortcut}</code>
      {language !== null && <Chip>{language}</Chip>}
      {actions !== null && <Chip>with actions</Chip>}
      {attachments.length > 0 && <Chip>{attachments.length === 1 ? '1 file' : `${attachments.length} files`}</Chip>}
      <span className="text-xs text-quiet">used {uses === 1 ? 'once' : `${uses.toLocaleString()} times`}</span>
    </p>
    <p className="line-clamp-2 break-words whitespace-pre-line text-quiet">{text}</p>
  </>
);
