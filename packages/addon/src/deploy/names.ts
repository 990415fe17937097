/** The prefix of the names of the works that deploy an add-on. Their numbers follow, from 0. */
export function deployWorkPrefix(addon: string): string {
  return `addon-${addon}-deploy`
}

/** The work with the pre-delete hooks of an add-on. */
export function hookWorkName(addon: string): string {
  return `addon-${addon}-pre-delete`
}
