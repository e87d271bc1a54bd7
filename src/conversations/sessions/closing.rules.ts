/** Returns what the event of a resolution tells of the payload given for it. Another resolution may have another one. */
export const closingPayloadOf = (payload: unknown): { closed_payload?: unknown } =>
  payload === null ? {} : { closed_payload: payload };
