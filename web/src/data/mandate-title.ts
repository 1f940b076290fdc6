/** Where the mandate begins on the public page of a vault; links lead there. */
export const mandateTitle = 'mandate-title';
