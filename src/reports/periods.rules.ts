/** The periods by which reports are divided. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export const isPeriod = (name: string): name is Period => PERIODS.some((period) => period === name);
