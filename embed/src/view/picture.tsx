import { useEffect, useRef, useState } from 'preact/hooks';

const MAX_SIDE = 480;

/**
 * Draws a picture on a canvas. An <img> would need img-src in the policy of the page, and the policy of a page is not
 * ours to widen. It has the event `load` of one. Shows its children until the picture is there, and where it cannot
 * be shown.
 */
export function Picture({ url, name, children }: { url: string; name: string; children?: preact.ComponentChildren }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [bitmap, setBitmap] = useState<ImageBitmap>();
  useEffect(() => {
    const stop = new AbortController();
    loadPicture(url, stop.signal).then(setBitmap, () => {});
    return () => stop.abort();
  }, [url]);
  useEffect(() => {
    canvas.current
      ?.getContext('2d')
      ?.drawImage(bitmap as ImageBitmap, 0, 0, canvas.current.width, canvas.current.height);
    canvas.current?.dispatchEvent(new Event('load'));
  }, [bitmap]);
  if (!bitmap) return <>{children}</>;
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  return (
    <canvas ref={canvas} role="img" aria-label={name} width={bitmap.width * scale} height={bitmap.height * scale} />
  );
}

async function loadPicture(url: string, signal: AbortSignal): Promise<ImageBitmap> {
  const response = await fetch(url, { signal, credentials: 'omit' });
  return createImageBitmap(await response.blob());
}
