import {
  isAssignedToHuman,
  type RoutableMessage,
  type RoutingContext,
  routeOf,
} from '../../../src/crm/hubspot/message-routing.rules.ts';

const incoming: RoutableMessage = {
  type: 'MESSAGE',
  isArchived: false,
  direction: 'INCOMING',
  actorId: 'V-1',
  clientType: 'SYSTEM',
  integrationAppId: null,
};
const unknown: RoutingContext = { isComment: false, isOurs: false, appId: '77' };

const cases: [string, Partial<RoutableMessage>, Partial<RoutingContext>, ReturnType<typeof routeOf>][] = [
  ['a visitor’s message, though its client is SYSTEM', {}, {}, { to: 'customer' }],
  ['a message of an e-mail’s sender', { actorId: 'E-ann@example.com' }, {}, { to: 'customer' }],
  ['a message without an actor', { actorId: null }, {}, { to: 'customer' }],
  ['a message of an agent', { actorId: 'A-5', direction: 'OUTGOING' }, {}, { to: 'agent' }],
  ['an outgoing message without an actor', { actorId: null, direction: 'OUTGOING' }, {}, { to: 'agent' }],
  ['an agent’s message with the direction INCOMING', { actorId: 'A-5' }, {}, { to: 'agent' }],
  ['a comment', { type: 'COMMENT', actorId: 'A-5' }, {}, { to: 'note' }],
  ['a message called a comment by its event', { actorId: 'A-5' }, { isComment: true }, { to: 'note' }],
  ['our own comment', { type: 'COMMENT', actorId: 'A-5' }, { isOurs: true }, { skip: 'ours' }],
  ['our app’s comment', { type: 'COMMENT', clientType: 'INTEGRATION', integrationAppId: '77' }, {}, { skip: 'ours' }],
  ['an archived comment', { type: 'COMMENT', isArchived: true, actorId: 'A-5' }, {}, { to: 'note' }],
  ['an archived message', { isArchived: true }, {}, { skip: 'archived' }],
  ['an assignment', { type: 'ASSIGNMENT', actorId: 'A-5' }, {}, { skip: 'of the type ASSIGNMENT' }],
  ['a welcome message', { type: 'WELCOME_MESSAGE' }, {}, { skip: 'of the type WELCOME_MESSAGE' }],
  ['a change of status', { type: 'THREAD_STATUS_CHANGE' }, {}, { skip: 'of the type THREAD_STATUS_CHANGE' }],
  [
    'our own message with an agent as its sender',
    { actorId: 'A-5', direction: 'OUTGOING' },
    { isOurs: true },
    { skip: 'ours' },
  ],
  [
    'our app’s message',
    { actorId: 'A-5', direction: 'OUTGOING', clientType: 'INTEGRATION', integrationAppId: '77' },
    {},
    { skip: 'ours' },
  ],
  [
    'another app’s message',
    { actorId: 'A-5', direction: 'OUTGOING', clientType: 'INTEGRATION', integrationAppId: '78' },
    {},
    { to: 'agent' },
  ],
  [
    'an app’s message while our own app id is unknown',
    { clientType: 'INTEGRATION' },
    { appId: null },
    { to: 'customer' },
  ],
  ...['I-1', 'S-hubspot', 'L-1', 'B-7'].map((actorId): (typeof cases)[number] => [
    `a message of ${actorId}`,
    { actorId, direction: 'OUTGOING' },
    {},
    { skip: 'automated' },
  ]),
  ['a message of an unknown kind of actor', { actorId: 'X-1' }, {}, { skip: 'from an unknown kind of actor, X-1' }],
];

describe('routing a message of a thread', () => {
  it.each(cases)('decides the route of %s', (_name, message, known, route) => {
    expect(routeOf({ ...incoming, ...message }, { ...unknown, ...known })).toEqual(route);
  });
});

describe('an assignment in HubSpot', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['A-5', '7', true],
    ['5', 'A-7', true],
    ['A-7', '7', false],
    ['A-7', 'A-7', false],
    ['', '7', false],
    [undefined, '7', false],
    ['A-5', undefined, false],
    ['A-', '7', false],
    ['S-5', '7', false],
  ])('to %s, with the AI user %s, counts as assigned to a human: %s', (value, ai, isAway) => {
    expect(isAssignedToHuman(value, ai)).toBe(isAway);
  });
});
