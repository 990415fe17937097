export { HOUR, hoursFrom, type Issued, issueClient, NOW, openssl, testAuthority } from './certificates.js'
export { type EventuallyOptions, eventually, patience } from './eventually.js'
export { FakeClock } from './fake-clock.js'
export { hugeExponent } from './huge-exponent.js'
