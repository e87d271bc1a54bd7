/** Returns the payload given for a resolution, as its event shows it. Another resolution may have another one. */
export const closingPayloadOf = (payload: unknown): { closed_payload?: unknown } =>
  payload === null ? {} : { closed_payload: payload };
