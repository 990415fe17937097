export { FairList, type Flowing } from './fair-list.js'
