/** A stranger's text in a field. It shows itself where it is taken for HTML, an attribute, a script or a link. */
export const hostile = (field: string): string => `${shown(field)} onerror="window.isBroken=1">"'><script>${SCRIPT}`;

/** How the text of a field begins, where it is shown as text. */
export const shown = (field: string): string => `${field} <img src=x`;

const SCRIPT = 'window.isBroken=1</script><svg onload=window.isBroken=1>[x](javascript:window.isBroken=1)';
