/**
 * A country, in a parent account also `ENT`, and up to 128 letters and digits, as in `GB.134912`. WhatsApp names a user so
 * whether the phone number is shown or not.
 */
export const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Whether an address is WhatsApp's id of a user, and no phone number. */
export const isUserId = (address: string): boolean => USER_ID.test(address);
