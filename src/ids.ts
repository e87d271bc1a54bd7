import { v5, v7 } from 'uuid';

/** The UUID that comes before every id, and that no row has. */
export { NIL as NIL_UUID } from 'uuid';

/** A new id: a UUID version 7 (RFC 9562), which sorts by time. */
export const newId = (): string => v7();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether text is a UUID, of whatever version, as the database takes it. */
export const isUuid = (text: string): boolean => UUID.test(text);

const NAMES_OF_OTHERS = '3d0f7a52-6a0c-5d53-9d2a-5a0f3c1e8b77';

/** The id here of what others name: always the same UUID version 5 (RFC 9562) for the same name, of which the org is to be a part. */
export const idOf = (...name: string[]): string => v5(name.join('\n'), NAMES_OF_OTHERS);
