/**
 * Makes what sends a request as fetch does, and says which share of its body has left, which fetch cannot: by
 * XMLHttpRequest. It rejects with a TypeError, as fetch does, where no answer comes.
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
