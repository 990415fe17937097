export { applyRank as rankOf } from '@orrery/api'
