const NEVER_PUBLISHED = /\.(test|fixture)\.|tsbuildinfo|tsconfig/
/** Templates are copied to the projects of users, and have tests. */
const TEMPLATE = /\.template$/

/** The files of a tarball that are of use only in the repository. */
export const unwantedFiles = (files) => files.filter((file) => NEVER_PUBLISHED.test(file) && !TEMPLATE.test(file))
