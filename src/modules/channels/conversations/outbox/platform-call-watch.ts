import { Injectable } from '@nestjs/common';
import { CallWatch } from '../../../../queue/call-watch.js';

/** For which channels their platform answers late, by their ids. */
@Injectable()
export class PlatformCallWatch extends CallWatch {}
