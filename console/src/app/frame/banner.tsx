import { useOnline } from '../use-live';

/** Says why the page may be out of date. */
export const Banner = ({ isLive }: { isLive: boolean }) => {
  const isOnline = useOnline();
  if (isLive && isOnline) return null;
  return (
    <div role="status" className="bg-warn px-3 py-0.5 text-center text-xs text-warn-text">
      {isOnline ? 'Not live. Trying again' : 'You are offline. What you type stays here'}
    </div>
  );
};
