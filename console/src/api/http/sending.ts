/**
 * Makes a fetch by XMLHttpRequest. It reports the sent share of the body, from 0 to 1. Without an answer it rejects with a
 * TypeError.
 */
export const sendingBy =
  (onSent: (share: number) => void): typeof fetch =>
  (address, { method = 'GET', headers, body } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, String(address));
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total));
      request.addEventListener('load', () => resolve(new Response(request.responseText, { status: request.status })));
      request.addEventListener('error', () => reject(new TypeError('No answer came')));
      request.send(body as XMLHttpRequestBodyInit);
    });
