import type { Action } from './action.ts';
import { addNote } from './add-note.ts';
import { addToSequence } from './add-to-sequence.ts';
import { askAi } from './ask-ai.ts';
import { createCrmTicket } from './create-crm-ticket.ts';
import { executeAction } from './execute-action.ts';
import { handoffSession } from './handoff-session.ts';
import { makePhoneCall } from './make-phone-call.ts';
import { removeFromSequence } from './remove-from-sequence.ts';
import { searchKnowledge } from './search-knowledge.ts';
import { sendEmail } from './send-email.ts';
import { sendMessage } from './send-message.ts';
import { sendSms } from './send-sms.ts';
import { sendWebhook } from './send-webhook.ts';
import { sendWhatsappTemplate } from './send-whatsapp-template.ts';
import { tagTicket } from './tag-ticket.ts';
import { untagTicket } from './untag-ticket.ts';
import { updateContact } from './update-contact.ts';
import { updateSession } from './update-session.ts';

const ALL: Action[] = [
  sendWebhook,
  executeAction,
  askAi,
  searchKnowledge,
  sendMessage,
  addNote,
  updateSession,
  tagTicket,
  untagTicket,
  handoffSession,
  createCrmTicket,
  updateContact,
  addToSequence,
  removeFromSequence,
  sendEmail,
  sendSms,
  sendWhatsappTemplate,
  makePhoneCall,
];

/** All actions by type. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map(ALL.map((action) => [action.type, action]));
