const USER_CHANNELS = ['messenger', 'instagram', 'slack'] as const;

/** A channel that names people by its own ids. */
export type UserChannel = (typeof USER_CHANNELS)[number];

/** Whether a channel names people by its own ids, and by these alone. */
export const isUserChannel = (channel: string): channel is UserChannel => USER_CHANNELS.some((one) => one === channel);
