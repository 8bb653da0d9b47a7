/** A model that answers when it is let go, and tells when it was first asked. */
export function heldModel() {
  let release = (): void => undefined;
  let tell = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const onRequest = async (): Promise<void> => {
    tell();
    await held;
  };
  return { onRequest, asked, release: () => release() };
}
