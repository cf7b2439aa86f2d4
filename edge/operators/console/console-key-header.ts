/** The header in which the console's page shows the key of its session, with every call to the operator API. */
export const CONSOLE_KEY_HEADER = "x-sluice-console";
