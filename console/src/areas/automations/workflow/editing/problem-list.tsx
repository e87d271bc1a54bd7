/** The problems of a step or a workflow beyond those at the fields. */
export const Problems = ({ messages }: { messages: string[] }) =>
  messages.length === 0 ? null : (
    <ul aria-label="Problems" className="space-y-1 rounded-md bg-bad p-3 text-bad-text">
      {messages.map((message) => (
        <li key={message} className="break-words">
          {message}
        </li>
      ))}
    </ul>
  );
