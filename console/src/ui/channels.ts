import type { Schemas } from '../api/client';

type Channel = Schemas['InboxRow']['channel'];

/** What the channels of conversations are called. */
export const CHANNELS: Record<Channel, string> = {
  web: 'Web chat',
  email: 'E-mail',
  whatsapp: 'WhatsApp',
  sms: 'SMS',
  phone_voice: 'Phone',
  web_voice: 'Voice chat',
  messenger: 'Messenger',
  instagram: 'Instagram',
  slack: 'Slack',
  api: 'API',
};

/** The channels as choices, each with its name. */
export const CHANNEL_CHOICES = Object.entries(CHANNELS) as [Channel, string][];
