import type { SessionChannel } from '../schemas/parts.ts';

const WITHOUT_TRANSPORT: readonly SessionChannel[] = ['slack', 'instagram', 'messenger', 'phone_voice', 'web_voice'];
const TO_ADDRESS = ['email', 'sms', 'whatsapp'] as const satisfies SessionChannel[];
type AddressedChannel = (typeof TO_ADDRESS)[number];

/** Returns whether messages of a channel go out to an address of the contact. */
export const goesToAddress = (channel: SessionChannel): channel is AddressedChannel =>
  TO_ADDRESS.some((one) => one === channel);

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
export const addressRefusal = (channel: AddressedChannel): string =>
  `The contact has no ${channel === 'email' ? 'e-mail address' : 'phone number'} to send to`;

/** The reasons by channel as JSON, for a query that tells them of many sessions. */
export const REFUSALS = {
  channel: JSON.stringify(Object.fromEntries(WITHOUT_TRANSPORT.map((channel) => [channel, channelRefusal(channel)]))),
  address: JSON.stringify(Object.fromEntries(TO_ADDRESS.map((channel) => [channel, addressRefusal(channel)]))),
};
