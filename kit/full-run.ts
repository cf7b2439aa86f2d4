/** Whether `npm run test:full` runs the tests: then a test that scales takes its full size. */
export const IS_FULL_RUN = process.env["SLUICE_TESTS"] === "full";
