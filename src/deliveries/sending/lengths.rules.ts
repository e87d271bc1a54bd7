/** The longest text of one SMS, by Twilio's documents. */
export const MAX_SMS_LENGTH = 1_600;
