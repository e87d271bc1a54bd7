interface Shortcut {
  keys: string;
  does: string;
  /** The key of an action on the open conversation, which the palette offers as well. */
  press?: string;
}

/** What keys are for, as the help shows it. */
export const KEYBOARD: { title: string; shortcuts: Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: 'Ctrl K', does: 'Go to, search or do something' },
      { keys: 'G H', does: 'Go to Home' },
      { keys: 'G I', does: 'Go to the inbox' },
      { keys: 'G C', does: 'Go to Contacts' },
      { keys: 'G O', does: 'Go to Outbound' },
      { keys: 'G A', does: 'Go to Automations' },
      { keys: 'G K', does: 'Go to Knowledge' },
      { keys: 'G B', does: 'Go to the AI' },
      { keys: 'G N', does: 'Go to Insights' },
      { keys: 'G Y', does: 'Go to Analytics' },
      { keys: 'G S', does: 'Go to the settings' },
      { keys: '1 to 9', does: 'View 1 to 9' },
      { keys: '[', does: 'Show or fold the views' },
      { keys: '/', does: 'Search conversations' },
      { keys: 'Z', does: 'Undo' },
      { keys: '?', does: 'This help' },
    ],
  },
  {
    title: 'List',
    shortcuts: [
      { keys: 'J, ↓', does: 'Next conversation or row' },
      { keys: 'K, ↑', does: 'Previous conversation or row' },
      { keys: 'Enter', does: 'Go to the messages' },
      { keys: 'Esc', does: 'Back to the list' },
      { keys: 'X', does: 'Select' },
      { keys: 'Shift J, Shift K', does: 'Select the next or previous one too' },
      { keys: 'Ctrl A', does: 'Select all of the view' },
      { keys: 'F', does: 'Filter' },
      { keys: 'Shift F', does: 'Clear the filters' },
    ],
  },
  {
    title: 'Conversation',
    shortcuts: [
      { keys: 'R', does: 'Write a reply', press: 'r' },
      { keys: 'N', does: 'Write a note', press: 'n' },
      { keys: 'Ctrl Enter', does: 'Send' },
      { keys: 'Ctrl Shift Enter', does: 'Send and close' },
      { keys: '/', does: 'While you write: a saved reply' },
      { keys: '@', does: 'In a note: mention somebody' },
      { keys: 'A', does: 'Assign', press: 'a' },
      { keys: 'I', does: 'Assign to me', press: 'i' },
      { keys: 'L', does: 'Tags', press: 'l' },
      { keys: 'T', does: 'Take over from the AI', press: 't' },
      { keys: 'Shift T', does: 'Return to AI', press: 'Shift+t' },
      { keys: 'E', does: 'Close as resolved, or open again', press: 'e' },
      { keys: 'Shift E', does: 'Close with a status', press: 'Shift+e' },
      { keys: 'H', does: 'Snooze', press: 'h' },
      { keys: 'M', does: 'Hand off', press: 'm' },
      { keys: 'U', does: 'Mark as unread', press: 'u' },
      { keys: '.', does: 'What else can be done', press: '.' },
      { keys: ']', does: 'Show or fold the details', press: ']' },
    ],
  },
];
