declare module '*.css' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: style sheets are imported so
  export default text;
}
