/** Sentences of contacts about three things, none of which shares its words with the others. */
const TOPICS: Record<string, string[]> = {
  refund: ['Please refund my money', 'I want a refund for the broken lamp', 'when does the refund arrive on my card'],
  delivery: ['Where is my parcel', 'The courier lost the parcel', 'my delivery has not been shipped yet'],
  login: ['I cannot log in', 'My password is wrong', 'the password reset mail does not come'],
};

const ENDINGS = ['', ' today', ' please help', ' since Monday', ', thanks'];

/** Returns different texts about a topic, at most 15. */
export const textsAbout = (topic: string, count: number): string[] =>
  (TOPICS[topic] ?? []).flatMap((text) => ENDINGS.map((ending) => `${text}${ending}`)).slice(0, count);
