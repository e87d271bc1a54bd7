import type { InboxRow } from '../../api/caches';

type Channel = InboxRow['channel'];

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
