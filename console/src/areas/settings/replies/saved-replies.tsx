import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { savedRepliesQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { FilterBar } from '../../../ui/lists/filter-bar';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { PreviewDialog } from './preview-dialog';
import { ReplyDialog } from './reply-dialog';

type Reply = Schemas['SavedReply'];
type Asked = { what: 'new' } | { what: 'change' | 'preview' | 'delete'; reply: Reply };

/** Texts to use again in conversations. */
export const SavedReplies = () => {
  const { q } = useSearch({ from: '/settings/saved-replies' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(savedRepliesQuery(q));
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const mayWrite = useMay('chat-sessions:write');
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  const remove = useChange((id: string) => dataOf(api.DELETE('/saved-replies/{id}', { params: { path: { id } } })), {
    stale: [['listSavedReplies']],
    says: 'Deleted',
    isQuick: true,
  });
  return (
    <SettingsPage
      title="Saved replies"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => ask({ what: 'new' })}>
            New reply
          </Button>
        )
      }
    >
      <FilterBar
        search={{ q }}
        fields={[]}
        searched="Search the replies"
        onChange={(search) => void navigate({ to: '/settings/saved-replies', search })}
      />
      {list.isSuccess && items.length === 0 && (
        <Empty title={q === undefined ? 'No saved reply yet' : 'No reply has these words'}>
          In a conversation, type / and the shortcut of a reply.
        </Empty>
      )}
      {items.length > 0 && (
        <Rows
          label="Saved replies"
          items={items}
          keyOf={({ id }) => id}
          actions={
            mayWrite &&
            ((reply) => (
              <>
                <Button aria-label={`Preview ${reply.title}`} onClick={() => ask({ what: 'preview', reply })}>
                  Preview
                </Button>
                <Button aria-label={`Change ${reply.title}`} onClick={() => ask({ what: 'change', reply })}>
                  Change
                </Button>
                <Button
                  look="quiet"
                  aria-label={`Delete ${reply.title}`}
                  onClick={() => ask({ what: 'delete', reply })}
                >
                  Delete
                </Button>
              </>
            ))
          }
        >
          {(reply) => <ReplyRow reply={reply} />}
        </Rows>
      )}
      <ShowMore query={list} className="justify-self-start" />
      {asked?.what === 'new' && <ReplyDialog existing={undefined} onClose={close} />}
      {asked?.what === 'change' && <ReplyDialog existing={asked.reply} onClose={close} />}
      {asked?.what === 'preview' && <PreviewDialog reply={asked.reply} onClose={close} />}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={`Delete “${asked.reply.title}”`}
          action="Delete the reply"
          onConfirm={() => remove.mutate(asked.reply.id)}
          onClose={close}
        >
          Messages that were written with it stay.
        </ConfirmDialog>
      )}
    </SettingsPage>
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
