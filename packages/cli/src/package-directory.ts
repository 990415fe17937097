import { fileURLToPath } from 'node:url'

/** The directory of this package. The bundle and the compiled files are both one level below it. */
export const PACKAGE_DIRECTORY = fileURLToPath(new URL('../', import.meta.url))
