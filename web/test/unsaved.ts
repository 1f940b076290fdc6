/** Whether the page asks before it is closed: something on it is not saved. */
export const hasUnsaved = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
