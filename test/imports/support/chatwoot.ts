const seconds = (minute: number) => 1_709_632_800 + minute * 60;

const SENDER = {
  id: 71,
  name: 'Linus',
  email: 'linus@example.com',
  phone_number: null,
  identifier: null,
  custom_attributes: { plan: 'free' },
  additional_attributes: { city: 'Helsinki', company_name: 'Kernel' },
  created_at: seconds(-1_000),
};
const agent = { id: 5, name: 'Anna', type: 'user', available_name: 'Anna', availability_status: 'offline' };

const message = (id: number, message_type: number, minute: number, content: string | null, more: object = {}) => ({
  id,
  content,
  account_id: 1,
  inbox_id: 2,
  conversation_id: 12,
  message_type,
  content_type: 'text',
  status: 'sent',
  content_attributes: {},
  created_at: seconds(minute),
  private: false,
  source_id: null,
  ...more,
});

/** A resolved conversation, with all of its messages. */
export const CONVERSATION = {
  meta: {
    sender: SENDER,
    channel: 'Channel::WebWidget',
    assignee: { id: 5, name: 'Anna', email: 'anna@shop.example', available_name: 'Anna' },
    team: { id: 1, name: 'shipping' },
    hmac_verified: false,
  },
  id: 12,
  uuid: '0b1c6f0e-1111-4222-8333-444455556666',
  account_id: 1,
  inbox_id: 2,
  status: 'resolved',
  labels: ['parcel'],
  custom_attributes: { order: '4711' },
  additional_attributes: { browser: { browser_name: 'Firefox' } },
  created_at: seconds(0),
  last_activity_at: seconds(9),
  priority: null,
  snoozed_until: null,
  messages: [
    message(102, 3, 0, 'Give the team a way to reach you.'),
    message(101, 0, 0, 'Is the parcel on its way to Helsinki already?', { sender: { ...SENDER, type: 'contact' } }),
    message(103, 2, 1, 'Assigned to Anna by Anna'),
    message(104, 1, 2, 'I ask the carrier', { private: true, sender: agent }),
    message(105, 1, 3, '<p>It <b>is</b>, since today.</p>', {
      sender: agent,
      attachments: [{ id: 3, file_type: 'image', data_url: 'https://chat.example/blobs/3/label.png', extension: null }],
    }),
    message(106, 2, 9, 'Conversation was marked resolved by Anna'),
  ],
};
/** A snoozed conversation with a visitor who has no address. */
export const SNOOZED = {
  ...CONVERSATION,
  meta: {
    sender: { id: 72, name: 'silent-river-12', email: null, phone_number: null },
    channel: 'Channel::Telegram',
    hmac_verified: false,
  },
  id: 13,
  created_at: seconds(4),
  uuid: '0b1c6f0e-1111-4222-8333-444455557777',
  status: 'snoozed',
  labels: [],
  messages: [message(201, 0, 4, 'Later, please')],
};

export const CONTACTS_CSV =
  'id,name,email,phone_number,identifier\n71,Linus,linus@example.com,,\n73,Margaret,,+1 500 555 0006,shop-9\n74,Nobody,not an address,12,\n';

const portal = {
  id: 1,
  slug: 'help',
  name: 'Help',
  config: { default_locale: 'en', allowed_locales: [{ code: 'en' }] },
};
const category = { id: 3, name: 'Delivery', slug: 'delivery', locale: 'en', description: null, position: 10 };
/** Answers of the portal's API, one after the other. */
export const HELP_CENTER = [
  {
    payload: [
      {
        id: 8,
        slug: '1-track',
        title: 'Track a parcel',
        content: '# Track\n\nUse the *link*.',
        status: 'published',
        position: 10,
        portal,
        category,
      },
      { id: 9, slug: '2-draft', title: 'Soon', content: '…', status: 'draft', position: 20, portal, category },
    ],
    meta: { all_articles_count: 2, current_page: 1 },
  },
  { payload: [{ ...category, description: 'From us to you' }], meta: { current_page: 1 } },
];
