// The dialect is JSON: who reads or writes a record reads or writes that.

@_exported public import SluiceJSON
