import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { embeddingQuery, isEmbedding } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { Progress } from '../../../ui/progress';

/** How much of the knowledge is embedded, by which questions are compared by meaning, and how much was left out. */
export const Embedding = () => {
  const maySee = useMay('org:read');
  const { data } = useQuery({ ...embeddingQuery, enabled: maySee });
  if (data === undefined || data.model === null) return null;
  const { passages, embedded, left_out } = data;
  return (
    <>
      {isEmbedding(data) && (
        <Progress
          says={`${embedded.toLocaleString()} of ${passages.toLocaleString()} passages are embedded by ${data.model}. Until it has been through all, questions are compared by ${data.answering ?? 'words'}.`}
          done={embedded + left_out}
          total={passages}
        />
      )}
      {left_out > 0 && (
        <p className="text-warn-text">
          {left_out.toLocaleString()} {left_out === 1 ? 'passage is' : 'passages are'} found by words alone: the model
          has refused to embed {left_out === 1 ? 'it' : 'them'}.{' '}
          <Link to="/settings/integrations/$kind" params={{ kind: 'llm' }} className="text-link underline">
            Model connection
          </Link>
        </p>
      )}
    </>
  );
};
