export { MANIFEST_LIMIT, manifestSize } from '@orrery/api'
