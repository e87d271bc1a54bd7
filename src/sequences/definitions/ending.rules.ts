/** Whether a sequence has reached a final status. */
export const hasEnded = ({ status }: { status: string }): boolean => status === 'canceled' || status === 'complete';
