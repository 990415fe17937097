export { type LeaseRef, leaseExpiry } from './expiry.js'
export { type KeptLease, keepLease, type LeaseKeeping } from './keep.js'
export { type LeaseRenewal, renewLease } from './renew.js'
