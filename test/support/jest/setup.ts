import './errors.ts';
import './limits.ts';
