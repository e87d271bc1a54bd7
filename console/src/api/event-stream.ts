export interface ServerEvent {
  id: string | undefined;
  data: string;
}

/**
 * Yields the events of a stream (WHATWG HTML, 9.2), without its comments. One with an id alone has no data. `onHeard` is
 * called for all that arrives.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onHeard: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough<string>(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onHeard();
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data !== '' || event.id !== undefined) yield event;
    }
  }
}

function eventOf(block: string): ServerEvent {
  const fields = block.split('\n').map((line) => /^(id|data): ?(.*)$/.exec(line));
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []));
  return { id: valuesOf('id')[0], data: valuesOf('data').join('\n') };
}
