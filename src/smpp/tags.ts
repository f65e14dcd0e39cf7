/** Tags of optional parameters (SMPP 3.4 §5.3.2) that are written or read; those of DLT are settings. */
export const TAG = {
  destAddrSubunit: 0x0005,
  receiptedMessageId: 0x001e,
  sarMsgRefNum: 0x020c,
  sarTotalSegments: 0x020e,
  sarSegmentSeqnum: 0x020f,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const;
