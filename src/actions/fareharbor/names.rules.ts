const UNNAMED = 'Default';

/** Names the connections without a name: "Default", then "Default 2" and so on, and none like another connection. */
export function withNames<Connection extends { name?: string | undefined }>(
  connections: Connection[],
): (Connection & { name: string })[] {
  const taken = new Set(connections.map(({ name }) => name));
  return connections.map((connection) => {
    const name = connection.name ?? freeName(taken);
    taken.add(name);
    return { ...connection, name };
  });
}

function freeName(taken: ReadonlySet<string | undefined>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? UNNAMED : `${UNNAMED} ${n}`;
    if (!taken.has(name)) return name;
  }
}
