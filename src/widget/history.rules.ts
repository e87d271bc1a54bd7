import type { MessageCall, MessageCitation, MessageConfirmation } from '../conversations/history/events.schema.ts';
import type { StoredAttachment } from '../conversations/messages/attachments.service.ts';
import type { MediaLinks } from '../media/links.ts';
import type { VisibleEvent } from './messages.queries.ts';
import type { WidgetHistory } from './responses.schema.ts';

const SENDER_TYPES = { contact: 'user', human_agent: 'agent', ai: 'ai', system: 'system' } as const;

interface MessageData {
  sender_name?: string | null;
  sender_avatar_url?: string | null;
  attachments?: StoredAttachment[];
  /** The page showed it as a message of its AI, as widgets show whatever is automatic. */
  is_greeting?: true;
  citations?: MessageCitation[];
  action_calls?: MessageCall[];
  confirmation?: MessageConfirmation;
}

/**
 * Returns an event in the widget's format, with links to its files. A redacted message keeps its place in the history,
 * without content.
 */
export function historyItemOf(links: MediaLinks, event: VisibleEvent): WidgetHistory {
  const { public_id: publicId, created_at: sentAt } = event;
  if (event.type === 'message' || event.type === 'workflow_message') {
    const {
      sender_name,
      sender_avatar_url,
      attachments = [],
      is_greeting = false,
      citations = [],
      action_calls: calls = [],
      confirmation,
    } = event.data as MessageData;
    return {
      publicId,
      type: 'message',
      content: { text: event.content ?? '' },
      sender: {
        kind: is_greeting || event.sender === null ? 'ai' : SENDER_TYPES[event.sender],
        ...(sender_name ? { name: sender_name } : {}),
        ...(sender_avatar_url ? { avatar: sender_avatar_url } : {}),
      },
      sentAt,
      ...(calls.length > 0 && {
        actionCalls: calls.map(({ operation_id: operationId, state }) => ({
          operationId,
          state,
          actionName: operationId,
          args: null,
          result: null,
        })),
      }),
      ...(citations.length > 0 && { citations }),
      ...(confirmation && { confirmation }),
      ...(attachments.length > 0 && {
        attachments: attachments.map(({ media_id, name, mime_type, size }) => ({
          id: media_id,
          name,
          type: mime_type,
          size,
          url: links.linkOf({ org_id: event.org_id, id: media_id }),
        })),
      }),
      systemMessagePayload: { type: 'none' },
    };
  }
  return {
    publicId,
    type: 'system',
    content: { text: '' },
    sender: { kind: 'system' },
    sentAt,
    systemMessagePayload: systemPayloadOf(event),
  };
}

function systemPayloadOf({ type, content, data }: VisibleEvent): WidgetHistory['systemMessagePayload'] {
  if (type === 'csat_submitted') return { type, payload: { score: data.score, feedback: content } };
  if (type === 'state_checkpoint') return { type, payload: data.payload };
  return { type: 'csat_requested' };
}
