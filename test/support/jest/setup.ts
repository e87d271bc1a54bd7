import './errors.ts';
import './limits.ts';
import './property-seed.ts';
