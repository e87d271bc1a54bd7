/** Objects a line, as the account export of Zendesk has them. */
export const lines = (...objects: unknown[]): string => objects.map((object) => `${JSON.stringify(object)}\n`).join('');

const at = (minute: number) => `2024-03-05T10:${String(minute).padStart(2, '0')}:00Z`;

export const ADA = {
  id: 8001,
  url: 'https://shop.zendesk.example/api/v2/users/8001.json',
  name: 'Ada Lovelace',
  email: 'Ada@Example.com',
  phone: '+44 20 7946 0958',
  role: 'end-user',
  external_id: 'shop-1',
  created_at: '2023-01-31T08:00:00Z',
  updated_at: '2024-03-05T10:00:00Z',
  active: true,
  locale: 'en-GB',
  tags: ['vip'],
  user_fields: { plan: 'pro', seats: 3, trial: null },
};
export const GRACE = {
  ...ADA,
  id: 8002,
  name: 'Grace',
  email: null,
  phone: null,
  external_id: null,
  tags: [],
  user_fields: {},
};
export const AGENT = { id: 9001, name: 'Anna Agent', email: 'Anna@shop.example', role: 'agent', active: true };
export const FORMER = { id: 9002, name: 'Former Agent', email: 'former@shop.example', role: 'agent', active: false };

const comment = (id: number, author_id: number, minute: number, plain_body: string, more: object = {}) => ({
  id,
  type: 'Comment',
  author_id,
  body: plain_body,
  html_body: `<div class="zd-comment"><p>${plain_body}</p></div>`,
  plain_body,
  public: true,
  attachments: [],
  via: { channel: 'email' },
  created_at: at(minute),
  ...more,
});

/** A solved ticket with a question, a private note, an answer with a file and thanks. */
export const TICKET = {
  id: 501,
  url: 'https://shop.zendesk.example/api/v2/tickets/501.json',
  via: { channel: 'email', source: {} },
  created_at: at(0),
  updated_at: at(30),
  subject: 'Where is my parcel?',
  raw_subject: 'Where is my parcel?',
  description: 'Hello, my parcel 4711 has not arrived yet. Can you help me, please?',
  priority: 'high',
  type: 'question',
  status: 'solved',
  requester: ADA,
  submitter: ADA,
  assignee: AGENT,
  group: { id: 7, name: 'Shipping' },
  organization: { id: 3, name: 'Analytical Engines' },
  tags: ['parcel', 'Late'],
  custom_fields: [
    { id: 360001, value: 'order-4711' },
    { id: 360002, value: null },
  ],
  metric_set: { solved_at: at(25) },
  comments: [
    comment(1, ADA.id, 0, 'Hello, my parcel 4711 has not arrived yet. Can you help me, please?'),
    comment(2, AGENT.id, 5, 'The carrier lost it, I think', { public: false }),
    comment(3, AGENT.id, 10, 'We send it again today.', {
      attachments: [{ id: 1, file_name: 'label.pdf', content_url: 'https://shop.zendesk.example/attachments/1' }],
    }),
    comment(4, ADA.id, 20, 'Thank you very much!'),
  ],
};
/** An open ticket of the same person, by SMS, that a former agent answered. */
export const OPEN_TICKET = {
  ...TICKET,
  id: 502,
  via: { channel: 'sms' },
  status: 'open',
  subject: 'Refund',
  assignee: FORMER,
  group: { id: 8, name: 'Unheard of' },
  tags: [],
  custom_fields: [],
  metric_set: {},
  comments: [
    comment(11, ADA.id, 1, 'I want my money back'),
    comment(12, FORMER.id, 2, 'Which order is it?'),
    comment(13, ADA.id, 3, 'The order 4711'),
    comment(14, 9_777, 4, 'I take over'),
  ],
};
/** What the open ticket is later: answered and solved. */
export const LATER_TICKET = {
  ...OPEN_TICKET,
  status: 'closed',
  updated_at: at(50),
  metric_set: { solved_at: at(45) },
  comments: [...OPEN_TICKET.comments, comment(15, AGENT.id, 40, 'The money is on its way')],
};

const CATEGORY = { id: 31, name: 'Orders', locale: 'en-us', position: 1, description: 'All about orders' };
const SECTION = {
  id: 41,
  name: 'Returns',
  locale: 'en-us',
  position: 2,
  category_id: 31,
  parent_section_id: null,
};
export const ARTICLE = {
  id: 51,
  title: 'How do I return a parcel?',
  body: '<h2>Returns</h2><p>Within <strong>30 days</strong>. See <a href="https://shop.example/returns">the form</a>.</p><script>alert(1)</script><ul><li>Print the label</li><li>Bring the parcel</li></ul>',
  locale: 'en-us',
  source_locale: 'en-us',
  section_id: 41,
  position: 0,
  draft: false,
  user_segment_id: null,
  html_url: 'https://shop.zendesk.example/hc/en-us/articles/51-How-do-I-return-a-parcel',
  translations: [
    { locale: 'de', title: 'Wie sende ich ein Paket zurück?', body: '<p>Innerhalb von 30 Tagen.</p>', draft: false },
  ],
};
const DRAFT = { ...ARTICLE, id: 52, title: 'Not yet', draft: true, translations: [] };
/** An answer of the help center's API, with what it side-loads. */
export const HELP_CENTER = {
  count: 2,
  next_page: null,
  articles: [ARTICLE, DRAFT],
  sections: [SECTION],
  categories: [CATEGORY],
};
