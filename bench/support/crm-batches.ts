const EVENTS_PER_BATCH = 100;
/** As in a busy hour: most events of a batch belong to different threads. */
const THREADS = 500;
const FIRST_AT = 1_764_000_000_000;

let posted = 0;

/** Returns the body of a batch of 100 new messages in HubSpot's format, each batch unique. */
export function nextBatch(): string {
  const events: string[] = [];
  for (let nth = 0; nth < EVENTS_PER_BATCH; nth++) {
    const number = ++posted;
    const thread = 7_000_000_000 + ((number * 7_919) % THREADS);
    events.push(
      `{"eventId":${number},"subscriptionId":2134571,"portalId":62515,"appId":54321,"occurredAt":${FIRST_AT + number},"subscriptionType":"conversation.newMessage","attemptNumber":0,"objectId":${thread},"messageId":"5f1c0c1c8d0f4c6f9d0c${number.toString(16).padStart(12, '0')}","messageType":"MESSAGE","changeFlag":"NEW_MESSAGE"}`,
    );
  }
  return `[${events.join(',')}]`;
}

export interface BenchEvent {
  occurredAt: number;
  subscriptionType: string;
  objectId: number;
  messageId: string;
  messageType: string;
}
