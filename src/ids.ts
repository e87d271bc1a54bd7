import { v7 } from 'uuid';

/** The UUID that comes before every id, and that no row has. */
export { NIL as NIL_UUID } from 'uuid';

/** A new id: a UUID version 7 (RFC 9562), which sorts by time. */
export const newId = (): string => v7();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether text is a UUID, of whatever version, as the database takes it. */
export const isUuid = (text: string): boolean => UUID.test(text);
