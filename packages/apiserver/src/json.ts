export {
  addAll,
  canonicalJson,
  cloneJson,
  displayed,
  getOwn,
  isObject,
  jsonEqual,
  membersEqual,
  setOwn,
} from '@orrery/kube/structural'
