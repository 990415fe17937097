/** The maximum length of a field manager name, in bytes. */
const MAX_MANAGER_BYTES = 128

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

let lastUserAgent = ''
let lastProgram = ''

/** Returns the field manager: that of the request, or the program of the user agent. */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager
  if (userAgent !== lastUserAgent) {
    lastProgram = programOf(userAgent)
    lastUserAgent = userAgent
  }
  return lastProgram
}

function programOf(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  const program = (slash < 0 ? userAgent : userAgent.slice(0, slash)).replace(UNPRINTABLE, '')
  if (Buffer.byteLength(program) <= MAX_MANAGER_BYTES) return program
  let name = ''
  let bytes = 0
  for (const character of program) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_MANAGER_BYTES) break
    name += character
  }
  return name
}
