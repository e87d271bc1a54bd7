import type { SessionChannel } from '../schemas/parts.ts';

const WITHOUT_TRANSPORT: readonly SessionChannel[] = ['phone_voice', 'web_voice'];

/** Why nothing can be sent to a contact without an address, by channel. */
const ADDRESS_REFUSALS = {
  email: 'The contact has no e-mail address to send to',
  sms: 'The contact has no phone number to send to',
  whatsapp: 'The contact has no phone number to send to',
  messenger: 'The contact has not written on Messenger, and nothing can be sent there before',
  instagram: 'The contact has not written on Instagram, and nothing can be sent there before',
  slack: 'The session is no thread in Slack, and nothing can be sent there',
} as const satisfies Partial<Record<SessionChannel, string>>;

/** A channel with messages sent to an address. */
export type AddressedChannel = keyof typeof ADDRESS_REFUSALS;

/** Returns whether messages of a channel go out to an address: the contact's, or the session's thread. */
export const goesToAddress = (channel: SessionChannel): channel is AddressedChannel =>
  Object.hasOwn(ADDRESS_REFUSALS, channel);

/** Returns whether another system serves the customer's side: it delivers, or has no need to. */
export const isRelayedToCustomer = (relayedSide: string | null): boolean =>
  relayedSide === 'customer' || relayedSide === 'both';

export const NO_CONTACT = 'The session has no contact to send to';

/** Returns why nothing can be sent in a channel, whoever it is with. */
export const channelRefusal = (channel: SessionChannel): string | undefined =>
  WITHOUT_TRANSPORT.includes(channel)
    ? `Nothing would deliver this message: the channel ${channel} has no transport here. Reply where the contact wrote, or connect a CRM that relays the channel`
    : undefined;

/** Returns why nothing can be sent to a contact without an address. */
export const addressRefusal = (channel: AddressedChannel): string => ADDRESS_REFUSALS[channel];

/** Channels available to an org once it has connected them. In development the sandbox replaces them. */
export const CONNECTED_CHANNELS = ['messenger', 'instagram', 'slack'] as const;

/** Returns whether an org has to connect a channel before anything can be sent there. */
export const needsConnection = (channel: SessionChannel): channel is (typeof CONNECTED_CHANNELS)[number] =>
  CONNECTED_CHANNELS.some((one) => one === channel);

/** Returns the reason against sending in an unconnected channel. */
export const connectionRefusal = (channel: (typeof CONNECTED_CHANNELS)[number]): string =>
  `Nothing would deliver this message: ${channel} is not connected. PUT /integrations/${channel} first`;

/** Why nothing can be sent on Messenger and Instagram for now. */
export const WINDOW_REFUSAL =
  'Meta takes messages only within 24 hours of the contact’s last one, and these are over: wait until the contact writes again, or write elsewhere';

/** The reasons by channel as JSON, for a query about many sessions. */
export const REFUSALS = {
  channel: JSON.stringify(Object.fromEntries(WITHOUT_TRANSPORT.map((channel) => [channel, channelRefusal(channel)]))),
  address: JSON.stringify(ADDRESS_REFUSALS),
};
