const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M5.5 11.5L12 5l6.5 6.5',
  attach: 'M20 11.5l-8 8a5 5 0 0 1-7.1-7.1l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4l7.6-7.6',
  up: 'M7 11v9H4v-9zM7 11l4-8a2.5 2.5 0 0 1 2.5 2.5V9h5a2 2 0 0 1 2 2.3l-1.1 7A2 2 0 0 1 17.400 20H7',
  down: 'M7 13V4H4v9zM7 13l4 8a2.500 2.500 0 0 0 2.500-2.500V15h5a2 2 0 0 0 2-2.300l-1.100-7A2 2 0 0 0 17.400 4H7',
  file: 'M7 3h7l5 5v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM14 3v5h5',
  arrow: 'M6 9l6 6 6-6',
  star: 'M12 3.500l2.600 5.300 5.900.900-4.300 4.100 1 5.800L12 16.900l-5.200 2.700 1-5.800L3.500 9.700l5.900-.9z',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" class={`icon ${name}`}>
      <path d={PATHS[name]} />
    </svg>
  );
}
